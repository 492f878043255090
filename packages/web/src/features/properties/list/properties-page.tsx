import { ListPage } from '../../../lists/list-page.tsx'
import { propertyList } from './property-list.tsx'

/** All properties of the client. */
export function PropertiesPage() {
  return <ListPage source={propertyList} />
}
