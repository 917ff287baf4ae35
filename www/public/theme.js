// Runs before the first paint so that a chosen theme never flashes the other one.
try {
  const theme = localStorage.getItem("tuplescope.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage can be denied; the system's preference is then used.
}
