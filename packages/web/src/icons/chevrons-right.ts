import { icon } from './icon.tsx'

export const IconChevronsRight = /* @__PURE__ */ icon('M7 7l5 5l-5 5', 'M13 7l5 5l-5 5')
