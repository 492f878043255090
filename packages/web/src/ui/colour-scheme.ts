import { localStorageColorSchemeManager, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { schemeKey } from './stored-scheme.ts'

/** Where the chosen scheme is stored: 'light', 'dark', or 'auto' for the system's. */
export const schemeManager = localStorageColorSchemeManager({ key: schemeKey })

/** The shown scheme and a switch to the other one; choosing the system's scheme follows the system again. */
export function useSchemeSwitch(): { shown: 'light' | 'dark'; toggle: () => void } {
  const { setColorScheme } = useMantineColorScheme()
  const shown = useComputedColorScheme('light', { getInitialValueInEffect: false })
  const toggle = () => {
    const next = shown === 'dark' ? 'light' : 'dark'
    const system = window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
    setColorScheme(next === system ? 'auto' : next)
  }
  return { shown, toggle }
}
