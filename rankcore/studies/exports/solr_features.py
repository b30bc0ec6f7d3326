"""The features of a model as a feature store of Solr."""

from typing import Any

from rankcore.studies.exports._feature_set import FeatureSet


class SolrFeatures(FeatureSet):
    """A list of ``FieldValueFeature``."""

    name = "solr-features"
    title = "Solr feature store"
    holds_missing = True

    def feature(self, name: str, field: str, missing: bool) -> dict[str, Any]:
        kind = "org.apache.solr.ltr.feature.FieldValueFeature"
        default = {"defaultValue": "NaN"} if missing else {}
        return {"name": name, "class": kind, "params": {"field": field, **default}}

    def content(self, features: list[dict[str, Any]]) -> Any:
        return features

    def commands(self, name: str, file: str) -> str:
        return (
            "curl -XPUT http://localhost:8983/solr/COLLECTION/schema/feature-store "
            f"-H Content-type:application/json --data-binary @{file}\n"
        )
