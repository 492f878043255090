import { icon } from './icon.tsx'

export const IconTableExport = /* @__PURE__ */ icon(
  'M12.5 21h-7.5a2 2 0 0 1 -2 -2v-14a2 2 0 0 1 2 -2h14a2 2 0 0 1 2 2v7.5',
  'M3 10h18',
  'M10 3v18',
  'M16 19h6',
  'M19 16l3 3l-3 3',
)
