import { icon } from './icon.tsx'

export const IconBug = /* @__PURE__ */ icon(
  'M9 9v-1a3 3 0 0 1 6 0v1',
  'M8 9h8a6 6 0 0 1 1 3v3a5 5 0 0 1 -10 0v-3a6 6 0 0 1 1 -3',
  'M3 13l4 0',
  'M17 13l4 0',
  'M12 20l0 -6',
  'M4 19l3.35 -2',
  'M20 19l-3.35 -2',
  'M4 7l3.75 2.4',
  'M20 7l-3.75 2.4',
)
