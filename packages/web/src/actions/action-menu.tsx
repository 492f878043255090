import type { ReactNode } from 'react'
import { Menu } from '@mantine/core'
import { isPlainClick, useGoTo } from '../ui/link.tsx'
import type { ActionItem } from './use-action-items.tsx'
import classes from './actions.module.css'

interface ActionMenuProps {
  items: readonly ActionItem[]
  opened: boolean
  onChange: (opened: boolean) => void
  /** The button that opens the menu. */
  children: ReactNode
}

/** The actions for one device; destructive ones are last, after a divider. */
export function ActionMenu({ items, opened, onChange, children }: ActionMenuProps) {
  return (
    <Menu width={240} opened={opened} onChange={onChange} withInitialFocusPlaceholder={false}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {items.map((item) => (
          <Item key={item.action} item={item} first={items[0] === item} />
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

function Item({ item, first }: { item: ActionItem; first: boolean }) {
  const { action, label, icon, href, external, onPress } = item
  const goTo = useGoTo()
  if (href !== undefined)
    return (
      <Menu.Item
        component="a"
        href={href}
        leftSection={icon}
        {...(external ? { target: '_blank', rel: 'noreferrer' } : {})}
        onClick={(event) => {
          if (external || !isPlainClick(event)) return
          event.preventDefault()
          goTo(href)
        }}
      >
        {label}
      </Menu.Item>
    )
  const destroys = action === 'uninstall'
  return (
    <>
      {destroys && !first && <Menu.Divider />}
      <Menu.Item leftSection={icon} onClick={() => onPress?.()} {...(destroys ? { className: classes.danger } : {})}>
        {label}
      </Menu.Item>
    </>
  )
}
