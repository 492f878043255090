import { icon } from './icon.tsx'

export const IconStairs = /* @__PURE__ */ icon('M22 5h-5v5h-5v5h-5v5h-5')
