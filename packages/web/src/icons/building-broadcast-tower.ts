import { icon } from './icon.tsx'

export const IconBuildingBroadcastTower = /* @__PURE__ */ icon(
  'M11 12a1 1 0 1 0 2 0a1 1 0 1 0 -2 0',
  'M16.616 13.924a5 5 0 1 0 -9.23 0',
  'M20.307 15.469a9 9 0 1 0 -16.615 0',
  'M9 21l3 -9l3 9',
  'M10 19h4',
)
