import { useEffect, useEffectEvent, useState } from 'react'
import { typingDelay } from '../../ui/forms/use-form.ts'

/**
 * What is wrong with a field: shown a second after the last key, or at once where everything is checked. What is typed
 * takes away what was said of the text before.
 */
export function useFault(
  faultOf: (text: string) => string | undefined,
): [
  shown: string | undefined,
  check: (text: string, told?: string) => string | undefined,
  typed: (text: string) => void,
] {
  const [shown, setShown] = useState<string>()
  const [typed, setTyped] = useState<{ text: string }>()
  const ask = useEffectEvent((text: string) => setShown(faultOf(text)))
  useEffect(() => {
    if (!typed) return undefined
    const timer = setTimeout(() => ask(typed.text), typingDelay)
    return () => clearTimeout(timer)
  }, [typed])
  return [
    shown,
    (text, told) => {
      const fault = told ?? faultOf(text)
      setTyped(undefined)
      setShown(fault)
      return fault
    },
    (text) => {
      setShown(undefined)
      setTyped({ text })
    },
  ]
}
