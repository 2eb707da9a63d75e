import type { TableError } from '../../../../lib/client/index.ts'
import type { Texts } from '../texts/english.ts'
import { failureText } from '../texts/failure-text.ts'

const english = {
  help: 'A view keeps filters, the search, sorts, columns, totals and groups under a name.',
  none: 'No views yet',
  plain: 'Without a view',
  shared: 'shared',
  byOthers: 'shared by others',
  isDefault: 'opens first',
  unusable: 'cannot be used any more',
  edit: (name: string) => `Change ${name}`,
  name: 'Name of the view',
  share: 'Share it',
  makeDefault: 'Open it first',
  save: 'Save',
  saveNew: 'Save as a new view',
  newName: 'Name of the new view',
  update: 'Update with what is shown',
  remove: 'Delete',
  removeSurely: 'Delete it for good',
  saved: 'Saved',
  removed: 'Deleted',
  gone: 'This view does not exist any more, or is not shared with you.',
  conflict: 'This view was changed meanwhile. Open it as it is now, or replace it with what is shown.',
  reopen: 'Open it as it is now',
  replace: 'Replace it',
  pressAgain: 'Press the button again to delete the view for good.',
}

const arabic: typeof english = {
  help: 'تحفظ طريقة العرض عوامل التصفية والبحث والترتيب والأعمدة والإجماليات والتجميع تحت اسم تختاره.',
  none: 'لا توجد طرق عرض بعد',
  plain: 'دون طريقة عرض',
  shared: 'مشتركة',
  byOthers: 'يشاركها آخرون',
  isDefault: 'تُفتح أولًا',
  unusable: 'لم يعد استخدامها ممكنًا',
  edit: (name) => `تعديل ${name}`,
  name: 'اسم طريقة العرض',
  share: 'مشاركتها',
  makeDefault: 'فتحها أولًا',
  save: 'حفظ',
  saveNew: 'حفظ كطريقة عرض جديدة',
  newName: 'اسم طريقة العرض الجديدة',
  update: 'تحديثها بما هو معروض',
  remove: 'حذف',
  removeSurely: 'حذفها نهائيًا',
  saved: 'تم الحفظ',
  removed: 'تم الحذف',
  gone: 'لم تعد طريقة العرض هذه موجودة، أو لم تعد مشتركة معك.',
  conflict: 'تغيّرت طريقة العرض هذه في هذه الأثناء. افتحها كما هي الآن، أو استبدلها بما هو معروض.',
  reopen: 'فتحها كما هي الآن',
  replace: 'استبدالها',
  pressAgain: 'اضغط الزر مرة أخرى لحذف طريقة العرض نهائيًا.',
}

/** The texts of saved views, which are not in the first script. */
export const viewTexts: Readonly<Record<'en' | 'ar', typeof english>> = { en: english, ar: arabic }

/** Returns a text for a failure, with the reason why the service refuses the name of the view. */
export function viewFault(failure: TableError, { name }: typeof english, t: Texts): string {
  const faults = failure.fields['name']
  return faults === undefined ? failureText(failure, t) : `${name}: ${faults.join(t.comma)}`
}
