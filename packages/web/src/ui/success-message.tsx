import { useCallback, useEffect, useState } from 'react'
import { IconCircleCheckFilled } from '../icons/index.ts'
import classes from './success-message.module.css'

/** Milliseconds for which a success message is shown (core specification, section 9). */
export const successMessageTime = 2_000

/** A success message beside its control; returns a function that shows it again. */
export function useSuccessMessage(): [text: string | undefined, show: (text: string) => void] {
  const [shown, setShown] = useState<{ text: string }>()
  useEffect(() => {
    if (!shown) return undefined
    const timer = setTimeout(() => setShown(undefined), successMessageTime)
    return () => clearTimeout(timer)
  }, [shown])
  const show = useCallback((text: string) => setShown({ text }), [])
  return [shown?.text, show]
}

/** The place of a success message; always rendered, so that assistive technology announces changes. */
export function SuccessMessage({ text }: { text: string | undefined }) {
  return (
    <span className={classes.message} role="status">
      {text && (
        <>
          <IconCircleCheckFilled size={16} aria-hidden />
          {text}
        </>
      )}
    </span>
  )
}
