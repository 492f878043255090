import type { ReactNode } from 'react'
import { Textarea } from '@mantine/core'

interface WrittenFieldProps {
  label: string
  value: string
  /** The maximum number of characters. */
  most: number
  disabled: boolean
  hint?: ReactNode
  onChange: (value: string) => void
}

/** A multi-line text; the number of characters left is shown when it becomes small. */
export function WrittenField({ label, value, most, disabled, hint, onChange }: WrittenFieldProps) {
  const left = most - value.length
  const isNearlyFull = left < most / 10
  return (
    <Textarea
      label={label}
      value={value}
      description={isNearlyFull ? `${left.toLocaleString('en-GB')} characters left` : hint}
      inputWrapperOrder={['label', 'input', 'description']}
      autosize
      minRows={2}
      maxRows={10}
      maxLength={most}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
