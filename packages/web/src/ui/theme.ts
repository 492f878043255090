import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'
import { breakpoints } from '@caretaker/rules/shell/breakpoints.ts'
import { optionsFound } from './options-found.ts'

/** Blue is for the primary action, selection and links. It is never a status. */
const brand: MantineColorsTuple = [
  '#eef3ff',
  '#dce6ff',
  '#bacdfd',
  '#8fb0ff',
  '#6a90f5',
  '#4a72e6',
  '#2f55c8',
  '#2848ab',
  '#213c8c',
  '#1a2f6c',
]

/**
 * Cool neutrals of the dark theme: 0 text, 1 secondary text, 2 dimmed, 4 and 5 lines, 6 raised, 7 surface, 8 canvas.
 */
const dark: MantineColorsTuple = [
  '#e8ebf0',
  '#c6cdd7',
  '#98a2b0',
  '#8791a0',
  '#343c48',
  '#262c36',
  '#1c212a',
  '#151920',
  '#0e1116',
  '#090b0e',
]

const gray: MantineColorsTuple = [
  '#f6f7f9',
  '#eef0f3',
  '#e4e7ec',
  '#d3d8df',
  '#b8bfca',
  '#8a94a3',
  '#5f6978',
  '#48515e',
  '#2b323c',
  '#14181f',
]

const named = { closeButtonProps: { 'aria-label': 'Close' } }

/**
 * The look of every Mantine component. Components are named by text: importing them would put all of them into the
 * first script.
 */
export const theme = createTheme({
  // The root font size is 62.5 % (1rem = 10 px); scale restores Mantine's own sizes.
  scale: 1.6,
  primaryColor: 'brand',
  primaryShade: { light: 6, dark: 6 },
  colors: { brand, dark, gray },
  black: '#14181f',
  autoContrast: true,
  luminanceThreshold: 0.32,
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily: "'Inter Variable', Inter, system-ui, -apple-system, 'Segoe UI', sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, monospace",
  fontSizes: { xs: '1.2rem', sm: '1.3rem', md: '1.4rem', lg: '1.6rem', xl: '2.2rem' },
  lineHeights: { xs: '1.35', sm: '1.4', md: '1.45', lg: '1.45', xl: '1.3' },
  headings: {
    fontWeight: '600',
    textWrap: 'balance',
    sizes: {
      h1: { fontSize: '2.2rem', lineHeight: '1.25' },
      h2: { fontSize: '1.6rem', lineHeight: '1.35' },
      h3: { fontSize: '1.4rem', lineHeight: '1.4' },
      h4: { fontSize: '1.3rem', lineHeight: '1.4' },
    },
  },
  breakpoints,
  spacing: { xs: '0.8rem', sm: '1.2rem', md: '1.6rem', lg: '2.4rem', xl: '3.2rem' },
  radius: { xs: '0.4rem', sm: '0.6rem', md: '0.8rem', lg: '1.2rem', xl: '1.6rem' },
  defaultRadius: 'md',
  shadows: {
    xs: '0 1px 2px rgb(16 24 40 / 4%)',
    sm: '0 1px 2px rgb(16 24 40 / 6%), 0 1px 1px rgb(16 24 40 / 4%)',
    md: '0 4px 12px -2px rgb(16 24 40 / 10%), 0 2px 4px -2px rgb(16 24 40 / 6%)',
    lg: '0 12px 32px -6px rgb(16 24 40 / 16%), 0 4px 10px -4px rgb(16 24 40 / 8%)',
    xl: '0 24px 64px -12px rgb(16 24 40 / 28%), 0 6px 18px -6px rgb(16 24 40 / 12%)',
  },
  components: {
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Badge: { defaultProps: { variant: 'light', color: 'gray', tt: 'none', fw: 500 } },
    Button: {
      defaultProps: { size: 'xs', fw: 500 },
      vars: (_theme: unknown, { size }: { size?: string }) => ({
        root: size === 'xs' ? { '--button-height': 'var(--control-height)', '--button-fz': '1.3rem' } : {},
      }),
    },
    Checkbox: { defaultProps: { size: 'xs', radius: 'xs' } },
    DatePickerInput: {
      defaultProps: {
        valueFormat: 'DD/MM/YYYY',
        ariaLabels: { nextMonth: 'Next month', previousMonth: 'Previous month', monthLevelControl: 'Change month' },
      },
    },
    // Dropdown lists are at most 20rem high and scroll beyond that (estate specification, section 9).
    Autocomplete: { defaultProps: { maxDropdownHeight: 200, filter: optionsFound } },
    MultiSelect: { defaultProps: { maxDropdownHeight: 200, filter: optionsFound } },
    Select: { defaultProps: { maxDropdownHeight: 200, filter: optionsFound } },
    Drawer: { defaultProps: { position: 'right', size: '32rem', ...named } },
    Input: {
      defaultProps: { size: 'xs' },
      vars: (_theme: unknown, { size }: { size?: string }) => ({
        wrapper: size === 'xs' ? { '--input-height': 'var(--control-height)', '--input-fz': 'var(--field-font)' } : {},
      }),
    },
    InputWrapper: {
      vars: () => ({
        label: { '--input-label-size': '1.3rem' },
        error: { '--input-error-size': '1.25rem' },
        description: { '--input-description-size': '1.25rem' },
      }),
    },
    Kbd: { defaultProps: { size: 'xs' } },
    Menu: { defaultProps: { shadow: 'lg', radius: 'lg', position: 'bottom-end', offset: 4 } },
    Modal: {
      defaultProps: {
        centered: true,
        radius: 'lg',
        shadow: 'xl',
        overlayProps: { backgroundOpacity: 0.4, blur: 1 },
        ...named,
      },
    },
    Notification: { defaultProps: { radius: 'lg', closeButtonProps: { 'aria-label': 'Dismiss' } } },
    Popover: { defaultProps: { shadow: 'lg', radius: 'lg' } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: false } },
  },
})

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
export const cssVariables: CSSVariablesResolver = () => ({
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
})
