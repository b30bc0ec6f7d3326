"""Models, rankings, judgements and ratings that visitors upload: kept in this process.
Links carry their names, made from the content, such as ``model-3f2a9c1d``."""

from pages.ui.serving import visitor
from rankcore.data.clicks import read_clicks
from rankcore.data.judgements import read_judgements
from rankcore.data.rankings import read_rankings
from rankcore.data.ratings import read_ratings
from rankcore.data.uploads import FileStore
from rankcore.studies.models import read_model
from rankcore.topics.datasets.raters import RaterAgreement

PREFIX = "model-"
MODELS = FileStore(PREFIX, read_model, visitor.current, each=8, most=64)
RANKINGS = FileStore(
    "ranking-", lambda content, file: read_rankings(content, name=file),
    visitor.current, each=8, most=24,
)  # fmt: skip
JUDGED = FileStore(
    "judgements-", lambda content, file: read_judgements(content, name=file),
    visitor.current, each=4, most=24,
)  # fmt: skip
RATINGS = FileStore(
    "ratings-",
    lambda content, file: RaterAgreement(read_ratings(content, name=file)),
    visitor.current, each=4, most=16,
)  # fmt: skip
CLICKS = FileStore(
    "clicks-", lambda content, file: read_clicks(content, name=file),
    visitor.current, each=4, most=16,
)  # fmt: skip
names = MODELS.names
