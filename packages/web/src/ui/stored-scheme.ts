export const schemeKey = 'caretaker-colour-scheme'

/**
 * Applies the chosen scheme, or the system's, before the first paint. In a module, because the content security policy
 * allows no inline script.
 */
export function applyStoredScheme(): void {
  const stored = localStorage.getItem(schemeKey)
  const systemIsDark = window.matchMedia('(prefers-color-scheme: dark)').matches
  const isChosen = stored === 'light' || stored === 'dark'
  document.documentElement.dataset['mantineColorScheme'] = isChosen ? stored : systemIsDark ? 'dark' : 'light'
}
