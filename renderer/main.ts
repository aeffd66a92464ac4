/** How does the window begin? Styles, the bridge, then the application. */
import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import './styles/frame.css';
import './styles/dialog.css';
import { createPinia } from 'pinia';
import { createApp } from 'vue';
import App from './App.vue';
import { openBridge } from './bridge.ts';
import { bridgeKey } from './composables/useBridge.ts';
import { beginLanguage } from './composables/useSettings.ts';

const [bridge] = await Promise.all([openBridge(), beginLanguage()]);
createApp(App).use(createPinia()).provide(bridgeKey, bridge).mount('#app');
