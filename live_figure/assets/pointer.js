// The end of a press, wherever it ends: a finger that begins to scroll cancels it.

export function whenReleased(then) {
  const ended = new AbortController();
  for (const end of ["pointerup", "pointercancel"]) {
    window.addEventListener(end, () => {
      ended.abort();
      then();
    }, { capture: true, signal: ended.signal });
  }
}
