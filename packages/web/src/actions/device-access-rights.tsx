import { ActionIcon } from '@mantine/core'
import { IconPencil } from '../icons/index.ts'
import type { Device } from '@caretaker/contract/devices.ts'
import { isRestricted } from '@caretaker/rules/devices/rights.ts'
import { useActor } from '../api/actor.ts'
import { openAction } from './open.ts'
import { actionsFor, targetOfDevice } from './target.ts'
import classes from './device-tags.module.css'

/** The access rights tag of a device, editable for authorised users. */
export function DeviceAccessRights({ device }: { device: Device }) {
  const actor = useActor()
  const target = targetOfDevice(device)
  const action = 'update access rights tag'
  const mayEdit = actionsFor(actor, target, 'page').includes(action) && !isRestricted(target)
  const { accessRightsTag } = device
  return (
    <span className={classes.tags}>
      {accessRightsTag ? (
        <span className={classes.tag}>{accessRightsTag.displayName}</span>
      ) : (
        <span className={classes.unset}>Not set</span>
      )}
      {mayEdit && (
        <ActionIcon
          size={26}
          aria-label="Edit access rights tag"
          title="Edit"
          onClick={() => openAction({ kind: 'single', action, target })}
        >
          <IconPencil size={16} stroke={1.7} aria-hidden />
        </ActionIcon>
      )}
    </span>
  )
}
