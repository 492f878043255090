import type { CSSVariablesResolver } from '@mantine/core'

export const fontFamily = "'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', sans-serif"
export const radius = { xs: '0.4rem', sm: '0.6rem', md: '0.8rem', lg: '1.2rem', xl: '1.6rem' }

/** The shades of one status: `solid` for shapes and charts (3:1 on the surface), `text` on `tint` (AA). */
interface StatusShades {
  solid: string
  text: string
  tint: string
}
/** The status colours; the name is part of the CSS variables, for example `--status-failed-device-tint`. */
export type StatusTone = 'passed' | 'warning' | 'failed' | 'failed-device' | 'not-installed'

const statusShades: Record<StatusTone, { light: StatusShades; dark: StatusShades }> = {
  passed: {
    light: { solid: '#0b7a66', text: '#0a6152', tint: '#e3f4f0' },
    dark: { solid: '#2bb596', text: '#6fd6bd', tint: '#12302b' },
  },
  warning: {
    light: { solid: '#c28100', text: '#774900', tint: '#fef6e3' },
    dark: { solid: '#e8b03a', text: '#f2c766', tint: '#352a12' },
  },
  failed: {
    light: { solid: '#c72c18', text: '#a92312', tint: '#fdeae6' },
    dark: { solid: '#f06a52', text: '#ff9c88', tint: '#3b1c18' },
  },
  'failed-device': {
    light: { solid: '#7a2f8f', text: '#6c2780', tint: '#f5e9f8' },
    dark: { solid: '#c58ade', text: '#dcb0ee', tint: '#30203a' },
  },
  'not-installed': {
    light: { solid: '#8a94a3', text: '#4f5966', tint: '#eef0f3' },
    dark: { solid: '#667180', text: '#b4bcc8', tint: '#232932' },
  },
}

function statusVariables(scheme: 'light' | 'dark') {
  return Object.fromEntries(
    Object.entries(statusShades).flatMap(([tone, schemes]) =>
      Object.entries(schemes[scheme]).map(([part, value]) => [`--status-${tone}-${part}`, value]),
    ),
  )
}

/** The colours of chart lines in their order; none is a status shade. */
const seriesShades = {
  light: ['#d15a00', '#1f6fc4', '#7a4fc4', '#0c8599', '#b5397f', '#5f6978'],
  dark: ['#ff9a4d', '#6aa6f8', '#b195f5', '#4cc3d6', '#ec82bb', '#a9b2bf'],
}
export const seriesColourCount = seriesShades.light.length

function seriesVariables(scheme: 'light' | 'dark') {
  return Object.fromEntries(seriesShades[scheme].map((value, index) => [`--series-${index + 1}`, value]))
}

/** The design tokens as CSS variables. */
export const tokens = {
  variables: {
    '--row-height': '3.8rem',
    '--table-head-height': '3.4rem',
    '--top-bar-height': '5.6rem',
    '--header-height': '5.6rem',
    '--sidebar-open': '26rem',
    '--sidebar-closed': '5.6rem',
    '--drawer-width': '32rem',
  },
  light: {
    '--canvas': '#f6f7f9',
    '--surface': '#ffffff',
    '--raised': '#ffffff',
    '--sunken': '#f1f3f6',
    '--hover': '#f3f5f8',
    '--line': '#e4e7ec',
    '--line-strong': '#d3d8df',
    '--text': '#14181f',
    '--text-2': '#48515e',
    '--dimmed': '#5f6978',
    '--accent': '#2f55c8',
    '--link': '#2f55c8',
    '--selected': '#eef3ff',
    '--selected-strong': '#dce6ff',
    '--pinned': '#f4f5f8',
    '--loading-bar': '#e9ecf0',
    '--ink': '#1a1f29',
    '--ink-line': '#3a4250',
    '--card-shadow': '0 1px 2px rgb(16 24 40 / 4%)',
    '--mantine-color-body': '#ffffff',
    '--mantine-color-text': '#14181f',
    '--mantine-color-dimmed': '#5f6978',
    '--mantine-color-placeholder': '#66707e',
    '--mantine-color-error': '#a92312',
    '--mantine-color-default-border': '#d3d8df',
    '--mantine-color-anchor': '#2f55c8',
    ...statusVariables('light'),
    ...seriesVariables('light'),
  },
  dark: {
    '--canvas': '#0e1116',
    '--surface': '#151920',
    '--raised': '#1c212a',
    '--sunken': '#10141a',
    '--hover': '#1b2029',
    '--line': '#262c36',
    '--line-strong': '#343c48',
    '--text': '#e8ebf0',
    '--text-2': '#c6cdd7',
    '--dimmed': '#98a2b0',
    '--accent': '#6a90f5',
    '--link': '#8fb0ff',
    '--selected': '#1a2540',
    '--selected-strong': '#22325a',
    '--pinned': '#1a1f28',
    '--loading-bar': '#232932',
    '--ink': '#2a313d',
    '--ink-line': '#434c5a',
    '--card-shadow': 'none',
    '--mantine-color-body': '#151920',
    '--mantine-color-text': '#e8ebf0',
    '--mantine-color-dimmed': '#98a2b0',
    '--mantine-color-placeholder': '#8791a0',
    '--mantine-color-error': '#ff9c88',
    '--mantine-color-default': '#1c212a',
    '--mantine-color-default-hover': '#232932',
    '--mantine-color-default-border': '#343c48',
    '--mantine-color-anchor': '#8fb0ff',
    ...statusVariables('dark'),
    ...seriesVariables('dark'),
  },
} satisfies ReturnType<CSSVariablesResolver>
