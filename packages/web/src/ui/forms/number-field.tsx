import { useEffect, useRef, useState } from 'react'
import { ActionIcon, TextInput } from '@mantine/core'
import { IconMinus, IconPlus } from '../../icons/index.ts'
import type { FieldValues } from 'react-hook-form'
import type { FieldProps } from './fields.tsx'
import { useField } from './fields.tsx'
import { holdPause, stepped, typedNumber } from './hold.ts'
import classes from './number-field.module.css'

interface NumberFieldProps<I extends FieldValues, O> extends FieldProps<I, O> {
  min: number
  max: number
  step?: number
}

/** A number with minus and plus within its bounds, which repeat while held. An emptied number is 0. */
export function NumberField<I extends FieldValues, O>(props: NumberFieldProps<I, O>) {
  const { form, name, label, required, min, max, step = 1, ...shown } = props
  const { inputRef, value, change, leave, error } = useField({ form, name })
  const number = typeof value === 'number' ? value : 0
  // A decimal point that was just typed is not a number yet.
  const [typed, setTyped] = useState<string>()
  const type = (text: string) => {
    const kept = text.replaceAll(/[^\d.,-]/g, '')
    setTyped(/[.,-]$|[.,]\d*0$/.test(kept) ? kept : undefined)
    change(typedNumber(kept))
  }
  const minus = useHeld((from: number) => stepped(from, -step, { min, max }), number, change)
  const plus = useHeld((from: number) => stepped(from, step, { min, max }), number, change)
  return (
    <TextInput
      {...shown}
      ref={inputRef}
      label={label}
      inputMode="decimal"
      autoComplete="off"
      withAsterisk={required ?? false}
      aria-required={required}
      value={typed ?? String(number)}
      onChange={(event) => type(event.currentTarget.value)}
      onBlur={() => {
        setTyped(undefined)
        leave()
      }}
      onKeyDown={(event) => {
        const direction = { ArrowUp: step, ArrowDown: -step }[event.key]
        if (direction === undefined) return
        event.preventDefault()
        change(stepped(number, direction, { min, max }))
      }}
      error={error}
      rightSectionWidth="calc(2 * var(--control-height))"
      rightSection={
        <span className={classes.buttons}>
          <ActionIcon {...minus} aria-label={`Decrease ${label}`} disabled={shown.disabled || number <= min}>
            <IconMinus size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon {...plus} aria-label={`Increase ${label}`} disabled={shown.disabled || number >= max}>
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
        </span>
      }
    />
  )
}

/** Steps at once when a button is pressed, and repeatedly while it is held. */
function useHeld(next: (from: number) => number, value: number, change: (value: number) => void) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const latest = useRef({ value, next })
  useEffect(() => {
    latest.current = { value, next }
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  const stop = () => clearTimeout(timer.current)
  const stepNow = () => change(latest.current.next(latest.current.value))
  const repeat = (steps: number) => {
    timer.current = setTimeout(() => {
      // At its bound a button is disabled and gets no pointerup event.
      if (latest.current.next(latest.current.value) === latest.current.value) return
      stepNow()
      repeat(steps + 1)
    }, holdPause(steps))
  }
  return {
    onPointerDown: (event: React.PointerEvent) => {
      if (event.button !== 0) return
      stepNow()
      repeat(0)
    },
    onPointerUp: stop,
    onPointerLeave: stop,
    onPointerCancel: stop,
    // A keyboard click has no pointer; `detail` distinguishes it from the click after one.
    onClick: (event: React.MouseEvent) => event.detail === 0 && stepNow(),
  }
}
