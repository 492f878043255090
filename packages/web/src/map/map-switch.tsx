import type { ReactNode } from 'react'
import { SegmentedControl } from '@mantine/core'
import classes from './map-switch.module.css'

interface MapSwitchProps<Value extends string> {
  label: string
  choices: { value: Value; label: string; icon?: ReactNode }[]
  value: Value
  onChange: (value: Value) => void
}

/** A choice over a map, with the selected option clearly visible. */
export const MapSwitch = <Value extends string>({ label, choices, value, onChange }: MapSwitchProps<Value>) => (
  <SegmentedControl
    classNames={{ root: classes.switch!, indicator: classes.taken! }}
    aria-label={label}
    size="xs"
    data={choices.map((choice) => ({
      value: choice.value,
      label: (
        <span className={classes.choice}>
          {choice.icon}
          {choice.label}
        </span>
      ),
    }))}
    value={value}
    onChange={onChange}
  />
)
