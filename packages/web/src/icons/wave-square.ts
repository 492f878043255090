import { icon } from './icon.tsx'

export const IconWaveSquare = /* @__PURE__ */ icon('M3 12h5v8h4v-16h4v8h5')
