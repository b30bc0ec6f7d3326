const NARROW = "(max-width: 960px)";
const STEP = 20;

// The expander starts open, for Streamlit cannot know how wide the window is. On a narrow
// one the style shows nothing of it until it has been closed.
export default function () {
  let asked, timer;
  const fold = () => {
    const controls = document.querySelector(".st-key-controls:not([data-folded])");
    const details = controls?.querySelector("details");
    const folds = details?.open && window.matchMedia(NARROW).matches;
    if (folds && details !== asked) {
      asked = details;
      // One that is as low as when closed would not be closed.
      controls.dataset.folded = "";
      details.querySelector("summary").click();
      delete controls.dataset.folded;
    }
    if (details && !folds) controls.dataset.folded = "";
    else timer = setTimeout(fold, STEP);
  };
  fold();
  return () => clearTimeout(timer);
}
