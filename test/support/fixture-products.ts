import { eq } from 'drizzle-orm'
import { everyRow } from '../../lib/index.ts'
import { defineFixture } from './fixture-identity.ts'
import { countries, products, productValue, suppliers } from './fixture-schema.ts'

const supplier = {
  table: suppliers,
  on: { supplier_id: 'id' },
  relations: { home: { table: countries, on: { country: 'code' } } },
} as const

/** Every kind of filter over every kind of source, in the rows of the caller's tenant; auditors see all tenants. */
export const productsTable = defineFixture({
  name: 'products',
  label: { en: 'Products', ar: 'المنتجات' },
  from: products,
  key: 'id',
  relations: { supplier },
  computed: { value: productValue },
  scope: ({ identity: { claims } }) => (claims.role === 'auditor' ? everyRow() : eq(products.tenant, claims.tenant)),

  columns: {
    id: { label: { en: 'ID', ar: 'المعرف' }, showable: false },
    name: { label: { en: 'Name', ar: 'الاسم' }, minWidth: '10rem', name: 'product_name' },
    category: {
      label: { en: 'Category', ar: 'الفئة' },
      type: 'text',
      values: {
        tool: { label: { en: 'Tool', ar: 'أداة' }, style: 'info' },
        food: { label: { en: 'Food', ar: 'طعام' }, style: 'success' },
        toy: { label: 'TOY' },
      },
    },
    price: { label: { en: 'Price', ar: 'السعر' }, type: 'number', decimals: 2 },
    stock: { label: { en: 'Stock', ar: 'المخزون' }, showInMobileApp: false },
    weight: { label: 'kg', name: null },
    active: { label: { en: 'Active', ar: 'نشط' } },
    supplier__name: { label: { en: 'Supplier', ar: 'المورد' } },
    supplier__home__name: { label: { en: 'Country', ar: 'البلد' } },
    made_on: { label: { en: 'Made on', ar: 'تاريخ الصنع' } },
    sold_at: { label: { en: 'Sold at', ar: 'تاريخ البيع' } },
    value: { label: { en: 'Value', ar: 'القيمة' }, type: 'number' },
    note: { label: { en: 'Note', ar: 'ملاحظة' }, type: 'text_truncate' },
    actions: { label: { en: 'Actions', ar: 'الإجراءات' }, type: 'actions' },
  },
  sortables: [
    ...(['id', 'name', 'category', 'price', 'stock', 'weight', 'active'] as const),
    ...(['supplier__name', 'supplier__home__name', 'made_on', 'sold_at', 'value'] as const),
  ],
  defaultSort: ['name', 'desc'],

  filters: {
    name: { type: 'text', label: { en: 'Name', ar: 'الاسم' } },
    category: {
      type: 'select',
      label: { en: 'Category', ar: 'الفئة' },
      options: { tool: { en: 'Tool', ar: 'أداة' }, food: { en: 'Food', ar: 'طعام' }, toy: 'TOY' },
    },
    stock: { type: 'number', label: { en: 'Stock', ar: 'المخزون' } },
    active: { type: 'boolean', label: { en: 'Active', ar: 'نشط' }, selected: true },
    made_on: { type: 'date', label: { en: 'Made on', ar: 'تاريخ الصنع' }, min: '2024-01-01', max: '2026-12-31' },
    sold_at: { type: 'date', label: { en: 'Sold at', ar: 'تاريخ البيع' } },
    supplier: { type: 'select', label: 'Supplier', source: 'supplier_id', options: 'bindings' },
  },
  advancedFilters: {
    name_any: {
      type: 'text',
      label: 'Name',
      source: 'name',
      operators: ['like', '=', '!=', 'not like', 'in', 'not in'],
    },
    note: { type: 'text', label: 'Note' },
    code: { type: 'text', label: 'Code', operators: ['=', 'like', '!=', 'in'] },
    category_any: {
      type: 'select',
      label: 'Category',
      source: 'category',
      options: ['tool', 'food', 'toy'],
      operators: ['=', '!=', 'in', 'not in'],
    },
    categories: { type: 'multi_select', label: 'Categories', source: 'category', options: ['tool', 'food', 'toy'] },
    stock_any: {
      type: 'number',
      label: 'Stock',
      source: 'stock',
      operators: ['=', '!=', '<', '<=', '>', '>=', 'in', 'not in', 'between'],
    },
    price: { type: 'number', label: 'Price', operators: ['=', '!=', '<', '<=', '>', '>=', 'in', 'between'] },
    weight: { type: 'number', label: 'Weight', operators: ['=', '<', '>=', 'in', 'between'] },
    value: { type: 'number', label: 'Value', operators: ['=', '<=', '>=', 'in', 'between'] },
    made_any: {
      type: 'date',
      label: 'Made on',
      source: 'made_on',
      operators: ['=', '!=', '<', '<=', '>', '>=', 'between'],
    },
    sold_any: {
      type: 'date',
      label: 'Sold at',
      source: 'sold_at',
      operators: ['=', '!=', '<', '<=', '>', '>=', 'between'],
    },
    has_note: { type: 'null', label: { en: 'Note', ar: 'ملاحظة' }, source: 'note' },
    country: {
      type: 'select',
      label: 'Country',
      source: 'supplier__home__code',
      options: { FR: 'France', SA: { en: 'Saudi Arabia', ar: 'السعودية' }, EG: 'Egypt' },
    },
    country_name: { type: 'text', label: 'Country', source: 'supplier__home__name' },
  },
  bindings: {
    supplier: ({ db, filters }) => {
      const country = filters['country']?.value
      return db
        .select({ value: suppliers.id, label: suppliers.name })
        .from(suppliers)
        .where(typeof country === 'string' ? eq(suppliers.country, country) : everyRow())
        .orderBy(suppliers.id)
    },
    seen: ({ filters, identity, language, guard, params }) => [
      { value: identity.subject, label: JSON.stringify({ filters, language, guard, params: params ?? null }) },
    ],
  },
})
