import { Button, Menu } from '@mantine/core'
import { IconCheck, IconChevronDown } from '../../../icons/index.ts'
import type { BcmFilter, BcmType } from '@caretaker/rules/devices/monitoring.ts'
import { bcmFilterIn, bcmTypeLabels, conditionsOf } from '@caretaker/rules/devices/monitoring.ts'
import type { Scope } from '../../../lists/list-source.ts'

const types = Object.keys(bcmTypeLabels) as BcmType[]

/** The filter of the Bcms page: a heating type and, optionally, statuses. */
export function heatingScope(parameter: unknown): Scope {
  const { type, options } = bcmFilterIn(parameter)
  const about = conditionsOf({ type })
  return {
    label: type === 'BCM' ? undefined : bcmTypeLabels[type],
    about,
    extraFilters: options ? conditionsOf({ type, options }).slice(about.length) : [],
    bare: { type } satisfies BcmFilter,
  }
}

interface HeatingMenuProps {
  parameter: unknown
  onChange: (parameter: unknown) => void
}

/** Selects the heating type of the Bcms page; the page header shows it. */
export function HeatingMenu({ parameter, onChange }: HeatingMenuProps) {
  const bcm = bcmFilterIn(parameter)
  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <Button
          variant="default"
          aria-label={`Heating type: ${bcmTypeLabels[bcm.type]}`}
          rightSection={<IconChevronDown size={16} aria-hidden />}
        >
          Heating type
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {types.map((type) => (
          <Menu.Item
            key={type}
            aria-current={type === bcm.type || undefined}
            rightSection={type === bcm.type && <IconCheck size={16} aria-hidden />}
            onClick={() => onChange({ ...bcm, type })}
          >
            {bcmTypeLabels[type]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
