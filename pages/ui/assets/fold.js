const NARROW = "(max-width: 960px)";
const STEP = 20;

// The expander starts open, as Streamlit cannot know the window's width. In a narrow
// window, the style hides it until it has been closed.
export default function () {
  let asked, timer;
  const fold = () => {
    const controls = document.querySelector(".st-key-controls:not([data-folded])");
    const details = controls?.querySelector("details");
    const folds = details?.open && window.matchMedia(NARROW).matches;
    if (folds && details !== asked) {
      asked = details;
      // An expander as low as a closed one would not be closed.
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
