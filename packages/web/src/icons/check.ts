import { icon } from './icon.tsx'

export const IconCheck = /* @__PURE__ */ icon('M5 12l5 5l10 -10')
