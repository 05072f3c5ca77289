// SPDX-License-Identifier: Apache-2.0
#include "engine/values/schema_index.h"

#include "engine/values/uri.h"

namespace plumb {

namespace {

// Keywords whose value is a schema, a list of schemas, or an object of schemas.
constexpr std::string_view kSchemaKeywords[] = {"additionalItems",
                                                "additionalProperties",
                                                "contains",
                                                "contentSchema",
                                                "else",
                                                "if",
                                                "items",
                                                "not",
                                                "propertyNames",
                                                "then",
                                                "unevaluatedItems",
                                                "unevaluatedProperties"};
constexpr std::string_view kSchemaListKeywords[] = {"allOf", "anyOf", "oneOf", "prefixItems",
                                                    "items"};
constexpr std::string_view kSchemaMapKeywords[] = {
    "$defs", "definitions", "dependencies", "properties", "dependentSchemas", "patternProperties"};

bool is_schema(const Json& value) {
  return value.is_object() || value.is_boolean();
}

const std::string* string_member(const Json& schema, std::string_view key) {
  const Json* const member = schema_member(schema, key);
  return member != nullptr ? member->get_ptr<const std::string*>() : nullptr;
}

// Draft 7 ignores everything beside `$ref`, `$id` included.
bool has_ignored_siblings(const Json& schema, SchemaDraft draft) {
  return draft == SchemaDraft::draft_7 && schema_member(schema, "$ref") != nullptr;
}

// The pointer from `from` to `target`, found by address; only errors pay for it.
bool find_path(const Json& from, const Json& target, std::string& path) {
  if (&from == &target) return true;
  if (!from.is_structured()) return false;
  for (const auto& child : from.items()) {
    const std::size_t size = path.size();
    path += '/' + pointer_escape(child.key());
    if (find_path(child.value(), target, path)) return true;
    path.resize(size);
  }
  return false;
}

}  // namespace

const Json* schema_member(const Json& schema, std::string_view key) {
  if (!schema.is_object()) return nullptr;
  const auto found = schema.find(key);
  return found == schema.end() ? nullptr : &*found;
}

SchemaResource& SchemaIndex::add_resource(const Json& root, const std::string& uri) {
  program_.resources.push_back(std::make_unique<SchemaResource>());
  SchemaResource& resource = *program_.resources.back();
  resource.uri = uri;
  resource.root = &root;
  resource.draft = options_.draft;
  by_uri_.emplace(uri, &resource);
  return resource;
}

SchemaResource& SchemaIndex::add_document(Json document, const std::string& uri) {
  program_.documents.push_back(std::make_unique<const Json>(std::move(document)));
  const Json& root = *program_.documents.back();
  SchemaResource& resource = add_resource(root, uri);
  resource.draft = draft_of(root, options_.draft);
  resource.has_validation_vocabulary = has_validation_vocabulary(root);
  const std::string* const id = string_member(root, "$id");
  if (id != nullptr && !has_ignored_siblings(root, resource.draft)) {
    resource.uri = resolve_uri(uri, *id);
    by_uri_[resource.uri] = &resource;
  }
  scan(root, resource, true);
  return resource;
}

SchemaResource* SchemaIndex::find_resource(const std::string& uri) {
  if (const auto found = by_uri_.find(uri); found != by_uri_.end()) return found->second;
  if (!options_.load) return nullptr;
  auto document = options_.load(uri);
  return document ? &add_document(*std::move(document), uri) : nullptr;
}

SchemaDraft SchemaIndex::draft_of(const Json& schema, SchemaDraft fallback) {
  const std::string* const meta = string_member(schema, "$schema");
  if (meta == nullptr) return fallback;
  if (meta->contains("2020-12/schema")) return SchemaDraft::draft_2020_12;
  if (meta->contains("2019-09/schema")) return SchemaDraft::draft_2019_09;
  if (meta->contains("json-schema.org/draft-0")) return SchemaDraft::draft_7;
  if (meta->contains("json-schema.org/")) return fallback;
  // A meta-schema that names itself is found while it is being added, with the default draft.
  const SchemaResource* const custom = find_resource(resolve_uri("", *meta));
  return custom != nullptr ? custom->draft : fallback;
}

// A custom meta-schema that leaves the validation vocabulary out turns its keywords off.
bool SchemaIndex::has_validation_vocabulary(const Json& schema) {
  const std::string* const meta = string_member(schema, "$schema");
  if (meta == nullptr || meta->contains("json-schema.org/")) return true;
  const SchemaResource* const custom = find_resource(resolve_uri("", *meta));
  const Json* const vocabulary =
      custom != nullptr ? schema_member(*custom->root, "$vocabulary") : nullptr;
  if (vocabulary == nullptr || !vocabulary->is_object()) return true;
  for (const auto& member : vocabulary->items()) {
    if (member.key().contains("vocab/validation")) return true;
  }
  return false;
}

SchemaResource& SchemaIndex::enter_id(const Json& schema, SchemaResource& owner, bool is_root) {
  const std::string* const id = string_member(schema, "$id");
  if (is_root || id == nullptr || has_ignored_siblings(schema, owner.draft)) return owner;
  const bool is_draft_7 = owner.draft == SchemaDraft::draft_7;
  if (is_draft_7 && id->starts_with('#')) {
    owner.anchors[id->substr(1)] = &schema;
    return owner;
  }
  SchemaResource& inner = add_resource(schema, resolve_uri(owner.uri, *id));
  inner.draft = draft_of(schema, owner.draft);
  inner.has_validation_vocabulary = owner.has_validation_vocabulary;
  if (const std::string fragment = uri_fragment(*id); is_draft_7 && !fragment.empty()) {
    inner.anchors[fragment] = &schema;
  }
  return inner;
}

void SchemaIndex::scan(const Json& schema, SchemaResource& owner, bool is_root) {
  if (!schema.is_object()) {
    owners_[&schema] = &owner;
    return;
  }
  SchemaResource& resource = enter_id(schema, owner, is_root);
  owners_[&schema] = &resource;
  if (resource.draft != SchemaDraft::draft_7) {
    if (const auto* name = string_member(schema, "$anchor")) resource.anchors[*name] = &schema;
  }
  if (resource.draft == SchemaDraft::draft_2020_12) {
    if (const auto* name = string_member(schema, "$dynamicAnchor")) {
      resource.anchors[*name] = &schema;
      resource.dynamic_anchors[*name] = &schema;
    }
  }
  const Json* const recursive = schema_member(schema, "$recursiveAnchor");
  if (resource.draft == SchemaDraft::draft_2019_09 && resource.root == &schema &&
      recursive != nullptr) {
    resource.has_recursive_anchor = *recursive == true;
  }
  scan_children(schema, resource);
}

void SchemaIndex::scan_children(const Json& schema, SchemaResource& owner) {
  for (const std::string_view keyword : kSchemaKeywords) {
    const Json* const child = schema_member(schema, keyword);
    if (child != nullptr && is_schema(*child)) scan(*child, owner, false);
  }
  const auto scan_all = [this, &owner](const Json& children) {
    for (const Json& child : children) {
      if (is_schema(child)) scan(child, owner, false);
    }
  };
  for (const std::string_view keyword : kSchemaListKeywords) {
    const Json* const children = schema_member(schema, keyword);
    if (children != nullptr && children->is_array()) scan_all(*children);
  }
  for (const std::string_view keyword : kSchemaMapKeywords) {
    const Json* const children = schema_member(schema, keyword);
    if (children != nullptr && children->is_object()) scan_all(*children);
  }
}

SchemaResource& SchemaIndex::owner_of(const Json& schema, SchemaResource& fallback) {
  if (!owners_.contains(&schema)) scan(schema, fallback, false);
  return *owners_.at(&schema);
}

std::optional<SchemaTarget> SchemaIndex::follow_pointer(SchemaResource& from,
                                                        std::string_view pointer) const {
  SchemaTarget target{from.root, &from, {}};
  while (!pointer.empty()) {
    const std::size_t end = std::min(pointer.find('/', 1), pointer.size());
    target.schema = find_pointer(*target.schema, pointer.substr(0, end));
    if (target.schema == nullptr) return {};
    const auto owner = owners_.find(target.schema);
    if (owner != owners_.end()) target.resource = owner->second;
    pointer.remove_prefix(end);
  }
  return target;
}

std::optional<SchemaTarget> SchemaIndex::resolve(SchemaResource& from, std::string_view reference) {
  const bool is_local = reference.empty() || reference.starts_with('#');
  SchemaResource* const resource =
      is_local ? &from : find_resource(resolve_uri(from.uri, reference));
  if (resource == nullptr) return {};
  const std::string fragment = uri_fragment(reference);
  if (fragment.empty() || fragment.starts_with('/')) return follow_pointer(*resource, fragment);
  const auto anchor = resource->anchors.find(fragment);
  if (anchor == resource->anchors.end()) return {};
  return SchemaTarget{anchor->second, resource, fragment};
}

std::string SchemaIndex::locate(const Json& schema) const {
  for (std::size_t i = 0; i < program_.documents.size(); ++i) {
    std::string path;
    if (!find_path(*program_.documents[i], schema, path)) continue;
    if (i == 0) return path;
    for (const auto& resource : program_.resources) {
      if (resource->root == program_.documents[i].get()) return resource->uri + '#' + path;
    }
  }
  return {};
}

}  // namespace plumb
