import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { breakpoints } from '@caretaker/rules/shell/breakpoints.ts'
import { optionsFound } from './options-found.ts'
import { fontFamily, radius } from './tokens.ts'

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
  fontFamily,
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
  radius,
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
