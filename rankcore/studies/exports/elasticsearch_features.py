"""The features of a model as a feature set of Elasticsearch or OpenSearch."""

from typing import Any

from rankcore.studies.exports._feature_set import FeatureSet


class ElasticsearchFeatures(FeatureSet):
    """The body of a ``_featureset`` request with a template for each feature."""

    name = "elasticsearch-features"
    title = "Elasticsearch / OpenSearch feature set"

    def feature(self, name: str, field: str, missing: bool) -> dict[str, Any]:
        factor = {"field_value_factor": {"field": field, "missing": 0}}
        score = {"query": {"match_all": {}}, "functions": [factor]}
        return {
            "name": name,
            "params": [],
            "template_language": "mustache",
            "template": {"function_score": score},
        }

    def content(self, features: list[dict[str, Any]]) -> Any:
        return {"featureset": {"features": features}}

    def commands(self, name: str, file: str) -> str:
        return (
            "curl -XPUT http://localhost:9200/_ltr\n"
            "curl -XPUT http://localhost:9200/_ltr/_featureset/SET "
            f"-H Content-Type:application/json -d @{file}\n"
        )
