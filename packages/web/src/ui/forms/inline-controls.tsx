import { Select, TextInput } from '@mantine/core'
import type { InlineControl } from './inline-edit.tsx'

export const named = ({ labelledBy, describedBy, invalid, disabled }: InlineControl) => ({
  'aria-labelledby': labelledBy,
  'aria-describedby': describedBy,
  'aria-invalid': invalid || undefined,
  error: invalid,
  disabled,
})

/** The control of a text row. */
export const inlineText =
  (more: { maxLength?: number; placeholder?: string } = {}) =>
  (control: InlineControl) => (
    <TextInput
      {...more}
      {...named(control)}
      autoComplete="off"
      value={control.value}
      onChange={(event) => control.change(event.currentTarget.value)}
    />
  )

interface InlineSelectProps {
  control: InlineControl
  data: { value: string; label: string }[]
  placeholder?: string
}

/** The control of a choice row. */
export function InlineSelect({ control, data, placeholder }: InlineSelectProps) {
  return (
    <Select
      {...named(control)}
      data={data}
      placeholder={placeholder}
      allowDeselect={false}
      searchable={data.length > 12}
      comboboxProps={{ withinPortal: true }}
      value={control.value || null}
      onChange={(chosen) => control.change(chosen ?? '')}
    />
  )
}
