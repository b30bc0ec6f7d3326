"""The sharpness of surrogates, which all views of the page share."""

import dataclasses

from pages.ui.setting import declared
from rankcore.algorithms.approx_ndcg import ApproxNDCG

ALPHA = dataclasses.replace(declared(ApproxNDCG, "alpha")[0], key="approx_alpha")
