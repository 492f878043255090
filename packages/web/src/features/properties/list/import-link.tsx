import { ActionIcon, Button, Menu } from '@mantine/core'
import { IconArchive, IconDots, IconFileImport, IconPlus } from '../../../icons/index.ts'
import { pathTo } from '@caretaker/rules/links/places.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { AppLink } from '../../../ui/link.tsx'
import classes from './property-list.module.css'

/** Links to import, add and view archived properties, for authorised users. */
export function ImportLink({ alone = false }: { alone?: boolean }) {
  const actor = useActor()
  const { tenant } = actor
  const adds = can(actor, 'add property')
  return (
    <>
      {can(actor, 'import homes') && (
        <Button
          component={AppLink}
          href={pathTo(tenant, 'Properties', 'Import')}
          {...(!alone && { className: classes.begin })}
          leftSection={<IconFileImport size={16} aria-hidden />}
          title="Import properties"
        >
          <span className={alone ? undefined : classes.beginWord}>Import properties</span>
        </Button>
      )}
      {can(actor, 'manage properties') && (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon
              className={classes.more}
              variant="default"
              aria-label="More actions for properties"
              title="More"
            >
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {adds && (
              <Menu.Item
                component={AppLink}
                href={pathTo(tenant, 'Properties', 'Add')}
                leftSection={<IconPlus size={16} aria-hidden />}
              >
                Add a property
              </Menu.Item>
            )}
            <Menu.Item
              component={AppLink}
              href={pathTo(tenant, 'Properties', 'Archived')}
              leftSection={<IconArchive size={16} aria-hidden />}
            >
              Archived properties
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  )
}
