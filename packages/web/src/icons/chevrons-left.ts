import { icon } from './icon.tsx'

export const IconChevronsLeft = /* @__PURE__ */ icon('M11 7l-5 5l5 5', 'M17 7l-5 5l5 5')
