import { Checkbox } from '@mantine/core'
import { IconGripVertical } from '../../icons/index.ts'
import classes from './place-devices.module.css'

interface RowHandleProps {
  /** The name of the device. */
  name: string
  isTicked: boolean
  onTick: (isTicked: boolean, pressed: Event) => void
  onGrip: (event: React.PointerEvent) => void
}

/** The controls of a row: a checkbox to select it and a grip to drag it. */
export function RowHandle({ name, isTicked, onTick, onGrip }: RowHandleProps) {
  return (
    <>
      <Checkbox
        aria-label={`Select ${name}`}
        checked={isTicked}
        onChange={(event) => onTick(event.currentTarget.checked, event.nativeEvent)}
      />
      <span className={classes.grip} aria-hidden data-grip onPointerDown={onGrip}>
        <IconGripVertical size={16} />
      </span>
    </>
  )
}
