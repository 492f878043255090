import type { ReactNode } from 'react'
import { Textarea } from '@mantine/core'

interface WrittenFieldProps {
  label: string
  value: string
  /** Most characters that it takes. */
  most: number
  disabled: boolean
  hint?: ReactNode
  onChange: (value: string) => void
}

/** A text of several lines; how much is left is told when it becomes little. */
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
