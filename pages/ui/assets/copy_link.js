export default function ({ parentElement }) {
  const button = parentElement.querySelector("button");
  let timer;
  const say = (words) => {
    button.textContent = words;
    clearTimeout(timer);
    timer = setTimeout(() => (button.textContent = "Copy link"), 2000);
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(window.location.href);
      say("Copied");
    } catch {
      // Browsers deny the clipboard to pages served to other machines without https.
      window.prompt("Copy this link", window.location.href);
    }
  };
  button.disabled = false;
  return () => clearTimeout(timer);
}
