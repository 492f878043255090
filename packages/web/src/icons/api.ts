import { icon } from './icon.tsx'

export const IconApi = /* @__PURE__ */ icon(
  'M4 13h5',
  'M12 16v-8h3a2 2 0 0 1 2 2v1a2 2 0 0 1 -2 2h-3',
  'M20 8v8',
  'M9 16v-5.5a2.5 2.5 0 0 0 -5 0v5.5',
)
