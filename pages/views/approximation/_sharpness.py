"""The sharpness of surrogates, which all views of the page share."""

import dataclasses

from rankcore.algorithms.approx_ndcg import ApproxNDCG
from rankcore.views import declared

ALPHA = dataclasses.replace(declared(ApproxNDCG, "alpha")[0], key="approx_alpha")
