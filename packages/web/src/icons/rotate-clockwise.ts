import { icon } from './icon.tsx'

export const IconRotateClockwise = /* @__PURE__ */ icon('M4.05 11a8 8 0 1 1 .5 4m-.5 5v-5h5')
