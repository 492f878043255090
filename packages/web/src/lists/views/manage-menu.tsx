import { Button, Menu } from '@mantine/core'
import {
  IconChevronDown,
  IconDeviceFloppy,
  IconDots,
  IconHome,
  IconLink,
  IconLock,
  IconPencil,
  IconCopyPlus,
  IconTrash,
  IconUsers,
  IconWorld,
} from '../../icons/index.ts'
import type { View } from '@caretaker/rules/views/view.ts'
import classes from './views.module.css'

/** The actions in the menu of a view. */
export type ViewAsk = 'save' | 'save as' | 'share' | 'rename' | 'authors' | 'copy link' | 'start page' | 'delete'

interface ManageMenuProps {
  view: View
  /** The allowed actions; the others are shown disabled. */
  may: ReadonlySet<ViewAsk>
  /** Whether views of the listing can be shared. */
  shareable: boolean
  isStartPage: boolean
  onAsk: (ask: ViewAsk) => void
}

/** The menu of the shown view; on a phone it also saves. */
export function ManageMenu({ view, may, shareable, isStartPage, onAsk }: ManageMenuProps) {
  const item = (ask: ViewAsk) => ({ disabled: !may.has(ask), onClick: () => onAsk(ask) })
  const reason = view.builtIn
    ? 'A system view cannot be changed or deleted.'
    : may.has('delete')
      ? undefined
      : `Its owner can change it${view.private ? '' : ', and so can a manager'}.`
  const Share = view.private ? IconWorld : IconLock
  return (
    <Menu width={230} withInitialFocusPlaceholder={false} classNames={{ item: classes.item }}>
      <Menu.Target>
        <Button variant="default" className={classes.manage}>
          <span className={classes.word}>Manage</span>
          <IconChevronDown size={16} className={classes.onDesktop} aria-hidden />
          <IconDots size={20} className={classes.onPhone} aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item className={classes.onPhone} leftSection={<IconDeviceFloppy size={18} />} {...item('save')}>
          Save
        </Menu.Item>
        <Menu.Item className={classes.onPhone} leftSection={<IconCopyPlus size={18} />} {...item('save as')}>
          Save As
        </Menu.Item>
        {shareable && (
          <Menu.Item leftSection={<Share size={18} />} {...item('share')}>
            {view.private ? 'Make public' : 'Make private'}
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconPencil size={18} />} {...item('rename')}>
          Rename
        </Menu.Item>
        {shareable && (
          <Menu.Item leftSection={<IconUsers size={18} />} {...item('authors')}>
            Authors
          </Menu.Item>
        )}
        <Menu.Item leftSection={<IconLink size={18} />} {...item('copy link')}>
          Copy link
        </Menu.Item>
        <Menu.Item leftSection={<IconHome size={18} />} {...item('start page')}>
          {isStartPage ? 'No longer start page' : 'Make start page'}
        </Menu.Item>
        <Menu.Divider role="separator" />
        <Menu.Item leftSection={<IconTrash size={18} />} className={classes.danger} {...item('delete')}>
          Delete
        </Menu.Item>
        {reason && (
          <Menu.Item className={classes.reason} disabled>
            {reason}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
