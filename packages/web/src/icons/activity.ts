import { icon } from './icon.tsx'

export const IconActivity = /* @__PURE__ */ icon('M3 12h4l3 8l4 -16l3 8h4')
