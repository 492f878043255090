import { useCallback, useEffect, useState } from 'react'
import { showError } from '../ui/toasts.tsx'
import type { Preferences } from './preferences.ts'
import { defaultPreferences, preferences } from './preferences.ts'

/** A preference of the person at this browser. It changes at once, and is stored along the way. */
export function usePreference(name: keyof Preferences): [boolean, (value: boolean) => void] {
  const [value, setValue] = useState<boolean>()
  useEffect(() => {
    preferences.get(name).then((stored) => setValue((now) => now ?? stored), say)
  }, [name])
  const change = useCallback(
    (next: boolean) => {
      setValue(next)
      if (next !== value) preferences.update(name, next).catch(say)
    },
    [name, value],
  )
  return [value ?? defaultPreferences[name], change]
}

function say(error: unknown): void {
  showError(error instanceof Error ? error.message : String(error))
}
