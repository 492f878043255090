import { useEffect, useEffectEvent, useState } from 'react'
import { typingDelay } from '../../ui/forms/use-form.ts'

/**
 * The error of a field: shown one second after the last keystroke, or at once on submit. Typing clears the previous
 * error.
 */
export function useFault(
  faultOf: (text: string) => string | undefined,
): [
  shown: string | undefined,
  check: (text: string, givenFault?: string) => string | undefined,
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
    (text, givenFault) => {
      const fault = givenFault ?? faultOf(text)
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
