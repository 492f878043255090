import { icon } from './icon.tsx'

export const IconTemperature = /* @__PURE__ */ icon('M10 13.5a4 4 0 1 0 4 0v-8.5a2 2 0 0 0 -4 0v8.5', 'M10 9l4 0')
