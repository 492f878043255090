import { ActionIcon, TextInput } from '@mantine/core'
import { IconMinus, IconPlus } from '../../icons/index.ts'
import type { StepperBounds } from '@caretaker/rules/forms/stepper.ts'
import { stepperBounds, typedInto } from '@caretaker/rules/forms/stepper.ts'
import { stepped } from './hold.ts'
import type { InlineControl } from './inline-edit.tsx'
import { named } from './inline-controls.tsx'
import classes from './number-field.module.css'

interface InlineNumberProps extends Partial<StepperBounds> {
  control: InlineControl
  label: string
}

/** The control of a number row: typed, or changed by minus and plus within its bounds. */
export function InlineNumber({ control, label, ...given }: InlineNumberProps) {
  const bounds = { ...stepperBounds, ...given }
  const { min, max, step } = bounds
  const number = Number(control.value)
  const by = (direction: number) => control.change(String(stepped(number, direction * step, bounds)))
  return (
    <TextInput
      {...named(control)}
      inputMode="numeric"
      autoComplete="off"
      value={control.value}
      onChange={(event) => control.change(typedInto(control.value, event.currentTarget.value, bounds))}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
        event.preventDefault()
        by(event.key === 'ArrowUp' ? 1 : -1)
      }}
      rightSectionWidth="calc(2 * var(--control-height))"
      rightSection={
        <span className={classes.buttons}>
          <ActionIcon
            aria-label={`Decrease ${label}`}
            disabled={control.disabled || number <= min}
            onClick={() => by(-1)}
          >
            <IconMinus size={16} aria-hidden />
          </ActionIcon>
          <ActionIcon
            aria-label={`Increase ${label}`}
            disabled={control.disabled || number >= max}
            onClick={() => by(1)}
          >
            <IconPlus size={16} aria-hidden />
          </ActionIcon>
        </span>
      }
    />
  )
}
