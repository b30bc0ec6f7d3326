const NARROW = "(max-width: 960px)";
const folded = new WeakSet();

// The expander starts open, for Streamlit cannot know how wide the window is.
export default function () {
  if (!window.matchMedia(NARROW).matches) return;
  let tries = 100;
  let timer;
  const fold = () => {
    const details = document.querySelector(".st-key-controls details[open]");
    if (details && !folded.has(details)) {
      folded.add(details);
      details.querySelector("summary").click();
    } else if (!details && tries-- > 0) {
      timer = setTimeout(fold, 20);
    }
  };
  fold();
  return () => clearTimeout(timer);
}
