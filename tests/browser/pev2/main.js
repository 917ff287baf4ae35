// Mounts pev2's Plan component over a plan that the test gives.
import { Plan } from "pev2";
import "pev2/dist/pev2.css";
import { createApp, h } from "vue";

let app;
window.show = (source, query) => {
  app?.unmount();
  app = createApp({ render: () => h(Plan, { planSource: source, planQuery: query }) });
  app.mount("#app");
};
window.ready = true;
