import { useCallback, useEffect, useState } from 'react'
import { showError } from '../ui/toasts.tsx'
import type { Preferences } from './preferences.ts'
import { defaultOf, preferences } from './preferences.ts'

/** A preference of this browser. It changes at once and is stored in the background. */
export function usePreference<N extends keyof Preferences>(name: N): [Preferences[N], (value: Preferences[N]) => void] {
  const [value, setValue] = useState<Preferences[N]>()
  useEffect(() => {
    preferences.get(name).then((stored) => setValue((now) => now ?? stored), showFailure)
  }, [name])
  const change = useCallback(
    (next: Preferences[N]) => {
      setValue(next)
      if (next !== value) preferences.update(name, next).catch(showFailure)
    },
    [name, value],
  )
  return [value ?? defaultOf(name), change]
}

function showFailure(error: unknown): void {
  showError(error instanceof Error ? error.message : String(error))
}
